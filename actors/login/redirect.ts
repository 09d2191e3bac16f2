// Where a provider may send a browser back to (spec: auth.md §10.1).

/** Hosts of the browser's own machine, where programs listen on whatever port is free. */
const LOOPBACK = /^[a-z][a-z0-9+.-]*:\/\/([^@/?#]*@)?(localhost|127\.0\.0\.1|\[::1\])(:\d*)?([/?#]|$)/i

const withoutPort = (text: string): string | undefined => {
  if (!LOOPBACK.test(text) || !URL.canParse(text)) return undefined
  const url = new URL(text)
  url.port = ''
  return url.href
}

/**
 * Whether a redirect URI is one of those allowed: equal to it in every character, or on a loopback host in everything
 * but the port.
 */
export const isAllowedRedirect = (uri: string, allowed: readonly string[]): boolean => {
  if (allowed.includes(uri)) return true
  const loopback = withoutPort(uri)
  return loopback !== undefined && allowed.some(entry => withoutPort(entry) === loopback)
}
