// The page: who is signed in, and which view the address names.
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { onRefused, token } from "./api";
import { useGet } from "./parts";
import { links, useRoute, type Route } from "./route";
import "./style.css";
import type { ThisNode } from "./types";
import { Actors } from "./view_actors";
import { CampaignView } from "./view_campaign";
import { Campaigns } from "./view_campaigns";
import { ClusterView } from "./view_cluster";
import { Events } from "./view_events";
import { DocumentView, Knowledge } from "./view_knowledge";
import { Login } from "./view_login";
import { NodeView } from "./view_node";
import { Skills, SkillView } from "./view_skills";

function View({ route }: { route: Route }) {
  switch (route.view) {
    case "campaigns":
      return <Campaigns />;
    case "campaign":
      return <CampaignView key={route.id} id={route.id} />;
    case "node":
      return <NodeView key={`${route.id} ${route.index}`} id={route.id} index={route.index} />;
    case "actors":
      return <Actors />;
    case "events":
      return <Events />;
    case "knowledge":
      return <Knowledge />;
    case "document":
      return <DocumentView key={route.id} id={route.id} />;
    case "skills":
      return <Skills />;
    case "skill":
      return <SkillView key={route.id} id={route.id} />;
    case "nodes":
      return <ClusterView />;
    case "unknown":
      return (
        <main>
          <h1>Nothing is here</h1>
          <p class="empty">
            There is no view of this name. <a href={links.campaigns}>To the campaigns</a>
          </p>
        </main>
      );
  }
}

// Only a member of a cluster has a view of its nodes.
function ClusterLink({ here }: { here: { "aria-current"?: "page" } }) {
  const node = useGet<ThisNode>("/v1/node");
  return node.value?.in_cluster ? (
    <a href={links.nodes} {...here}>
      Nodes
    </a>
  ) : null;
}

function Page() {
  const route = useRoute();
  const [signedIn, setSignedIn] = useState(token.read() !== "");
  const [expired, setExpired] = useState(false);
  const leave = (because: boolean) => {
    token.forget();
    setExpired(because);
    setSignedIn(false);
  };
  useEffect(() => onRefused(() => leave(true)), []);
  useEffect(() => {
    document.title = route.view === "node" ? `candidate ${route.index} · kevolve` : `${route.view} · kevolve`;
  }, [route.view]);
  if (!signedIn) return <Login expired={expired} done={() => setSignedIn(true)} />;
  const here = (view: string): { "aria-current"?: "page" } => (route.view.startsWith(view) ? { "aria-current": "page" } : {});
  return (
    <>
      <header>
        <a class="brand" href={links.campaigns}>
          kevolve
        </a>
        <nav aria-label="views">
          <a href={links.campaigns} {...here("campaign")}>
            Campaigns
          </a>
          <a href={links.actors} {...here("actors")}>
            Actors
          </a>
          <a href={links.events} {...here("events")}>
            Events
          </a>
          <a href={links.knowledge} {...here("knowledge")} {...here("document")}>
            Knowledge
          </a>
          <a href={links.skills} {...here("skill")}>
            Skills
          </a>
          <ClusterLink here={here("nodes")} />
        </nav>
        <button onClick={() => leave(false)}>Sign out</button>
      </header>
      <View route={route} />
    </>
  );
}

render(<Page />, document.getElementById("page")!);
