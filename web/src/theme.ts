// Light or dark: as the address says, else as was chosen before, else as the system has it.

import { dark, light, type Theme } from "./color";

export function themeOf(name?: string): Theme {
  const want = name ?? remembered() ?? (system().matches ? "dark" : "light");
  return want === "dark" ? dark : light;
}

export function remember(t: Theme): void {
  try {
    localStorage.setItem("theme", themeName(t));
  } catch {
    // It is forgotten with the page.
  }
}

export function themeName(t: Theme): string {
  return t.dark ? "dark" : "light";
}

/** follow says when the system changes, unless a person has chosen. */
export function follow(changed: (t: Theme) => void): void {
  system().addEventListener("change", () => {
    if (!remembered()) changed(themeOf());
  });
}

function system(): MediaQueryList {
  return matchMedia("(prefers-color-scheme: dark)");
}

/** remembered is what was chosen before; a page in a frame may have no storage. */
function remembered(): string | null {
  try {
    return localStorage.getItem("theme");
  } catch {
    return null;
  }
}
