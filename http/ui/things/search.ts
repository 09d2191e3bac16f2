// What people look for in lists.

/** Whether one of the texts holds what is looked for. @param wanted in small letters; empty for anything */
export const holds = (texts: readonly string[], wanted: string): boolean =>
  wanted === '' || texts.some(text => text.toLowerCase().includes(wanted))
