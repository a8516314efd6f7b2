// Light or dark: from the address, else from an earlier choice, else from the system.

import { dark, light, type Theme } from "./color";

export function themeOf(name?: string): Theme {
  const want = name ?? remembered() ?? (system().matches ? "dark" : "light");
  return want === "dark" ? dark : light;
}

export function remember(t: Theme): void {
  try {
    localStorage.setItem("theme", themeName(t));
  } catch {
    // The choice then lasts only as long as the page.
  }
}

export function themeName(t: Theme): string {
  return t.dark ? "dark" : "light";
}

/** follow reports changes of the system's theme, unless the user has chosen one. */
export function follow(changed: (t: Theme) => void): void {
  system().addEventListener("change", () => {
    if (!remembered()) changed(themeOf());
  });
}

function system(): MediaQueryList {
  return matchMedia("(prefers-color-scheme: dark)");
}

/** remembered returns the earlier choice. A page in a frame may have no storage. */
function remembered(): string | null {
  try {
    return localStorage.getItem("theme");
  } catch {
    return null;
  }
}
