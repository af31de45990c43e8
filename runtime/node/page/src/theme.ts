// Light or dark, as the reader's system says; canvases must ask for their colours.
import { useEffect, useState } from "preact/hooks";

const dark = matchMedia("(prefers-color-scheme: dark)");

export function useTheme(): "light" | "dark" {
  const [is, set] = useState(dark.matches);
  useEffect(() => {
    const changed = () => set(dark.matches);
    dark.addEventListener("change", changed);
    return () => dark.removeEventListener("change", changed);
  }, []);
  return is ? "dark" : "light";
}

// "--pass" → its colour now; anything else is a colour already.
export function resolved(name: string): string {
  return name.startsWith("--") ? getComputedStyle(document.documentElement).getPropertyValue(name).trim() : name;
}
