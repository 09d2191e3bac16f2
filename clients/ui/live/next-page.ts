const NEXT = /<[^>]*[?&]after=([^&>]+)[^>]*>;\s*rel="next"/

/** Returns the parameter `after` of the next page; undefined on the last one. */
export const nextPageIn = (headers: Headers): string | undefined => {
  const [, after] = NEXT.exec(headers.get('Link') ?? '') ?? []
  return after === undefined ? undefined : decodeURIComponent(after)
}
