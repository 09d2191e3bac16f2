// What people look for in lists.

/** Whether one of the texts holds what is looked for; an empty text is anything. Letter case does not matter. */
export const finder = (wanted: string): ((texts: readonly string[]) => boolean) => {
  const text = wanted.trim().toLowerCase()
  return texts => text === '' || texts.some(each => each.toLowerCase().includes(text))
}
