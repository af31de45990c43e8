// A campaign's story, read from its history and then kept up by the live stream. `version` rises with every change.
import { useEffect, useRef, useState } from "preact/hooks";
import { campaignPath, get, Problem } from "./api";
import { Story } from "./story";
import { follow, readAgainOnce, type StreamState } from "./stream";
import type { History } from "./types";

export interface Told {
  story: Story;
  version: number;
  loaded: boolean;
  stream: StreamState;
  problem: Problem | null;
}

// ms, at most so often while events pour in; a large tree takes longer to lay out.
const repaint = (nodes: number) => Math.max(200, nodes / 10);
const restatus = 1000;

export function useStory(id: string, onChange: () => void): Told {
  const [told, set] = useState<Told>({ story: new Story(), version: 0, loaded: false, stream: "connecting", problem: null });
  const changed = useRef(onChange);
  changed.current = onChange;
  useEffect(() => {
    const stop = new AbortController();
    let story = new Story();
    let timer = 0;
    let toldAt = 0;
    let statusTimer = 0;
    const show = (more: Partial<Told>) =>
      stop.signal.aborted || set((old) => ({ ...old, ...more, story, version: old.version + 1 }));
    const soon = () => {
      timer ||= window.setTimeout(() => {
        timer = 0;
        show({});
        statusTimer ||= window.setTimeout(() => {
          statusTimer = 0;
          toldAt = Date.now();
          changed.current();
        }, Math.max(0, toldAt + restatus - Date.now()));
      }, repaint(story.nodes.size));
    };
    const tell = async () => {
      let after = 0;
      for (let more = true; more; ) {
        const part = await get<History>(`${campaignPath(id)}/history?after=${after}`, stop.signal);
        part.items.forEach((e) => story.apply(e));
        after = part.last_sequence;
        more = part.truncated;
        show({});
      }
      show({ loaded: true });
      await follow(
        {
          campaign: id,
          after,
          onState: (stream) => show({ stream }),
          onEvents: (events) => {
            events.forEach((e) => story.apply(e));
            soon();
          },
        },
        stop.signal,
      );
    };
    const again = (problem: Problem) => {
      story = new Story();
      show({ loaded: false, stream: "connecting", problem });
    };
    set({ story, version: 0, loaded: false, stream: "connecting", problem: null });
    readAgainOnce(tell, again).catch((e: unknown) => {
      if (!stop.signal.aborted)
        show({ problem: e instanceof Problem ? e : new Problem(0, "", "The history could not be read", String(e)) });
    });
    return () => {
      stop.abort();
      clearTimeout(timer);
      clearTimeout(statusTimer);
    };
  }, [id]);
  return told;
}
