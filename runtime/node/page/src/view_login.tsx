// Asks for the node's token.
import { useState } from "preact/hooks";
import { Problem, signIn } from "./api";
import { Trouble } from "./parts";

export function Login({ expired, done }: { expired: boolean; done: () => void }) {
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const submit = async (e: Event) => {
    e.preventDefault();
    setBusy(true);
    try {
      await signIn(text.trim());
      done();
    } catch (x) {
      setProblem(
        x instanceof Problem && x.status === 401
          ? new Problem(401, x.type, "The node refused this token", "Copy the file's whole content, without spaces.")
          : x instanceof Problem
            ? x
            : new Problem(0, "", "This is no token", "A token has letters, digits and - _ alone."),
      );
    }
    setBusy(false);
  };
  return (
    <main class="login">
      <h1>kevolve</h1>
      <form onSubmit={submit}>
        {expired && !problem && <p role="status">The node no longer takes the token of before. Please sign in again.</p>}
        <label for="token">Token</label>
        <input
          id="token"
          type="password"
          autocomplete="off"
          spellcheck={false}
          value={text}
          onInput={(e) => setText(e.currentTarget.value)}
          autofocus
          required
        />
        <button type="submit" class="main" disabled={busy || text.trim() === ""}>
          {busy ? "Asking…" : "Sign in"}
        </button>
        {problem && <Trouble problem={problem} />}
        <p class="note">
          The node's token file holds it: <code>token</code> in its data directory, or what <code>token_file</code> names.
          This tab keeps it until it is closed.
        </p>
      </form>
    </main>
  );
}
