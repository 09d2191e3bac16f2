// Paths that are not as they should be: doubled slashes and dots, a missing last slash, unprintable characters
// (spec: state.md §1).
import { empty, plain, type RouteResponse } from './response.js'
import type { Route } from './route.js'

const UNCLEAN = /^[^?]*(?:\/\/|\/\.\.?(?:[/?]|$))/
// oxlint-disable-next-line no-control-regex -- what cannot be printed is what is looked for
const UNPRINTABLE = /[\u0000-\u001f\u007f]/

/** 301 to another path of this server; a reader that shows pages gets a link. */
export const redirectTargetOf = (method: string, location: string): RouteResponse => {
  const headers = ['Location', location]
  return method === 'GET'
    ? {
        ...plain(301, `<a href="${escaped(location)}">Moved Permanently</a>.\n\n`, headers),
        type: 'text/html; charset=utf-8'
      }
    : empty(301, headers)
}

/** The path and query of a target that names its server too, as a request through a proxy has it (RFC 9112 §3.2.2). */
export const originFormOf = (target: string): string => {
  if (target.startsWith('/')) return target
  const host = /^https?:\/\/[^/?]*/i.exec(target)?.[0]
  if (host === undefined) return target
  const rest = target.slice(host.length)
  return rest.startsWith('/') ? rest : `/${rest}`
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** The path with empty and dot segments resolved; a last slash stays. */
const cleaned = (path: string): string => {
  const kept: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop()
    else if (segment !== '' && segment !== '.') kept.push(segment)
  }
  const folder = kept.length > 0 && /\/\.{0,2}$/.test(path)
  return `/${kept.join('/')}${folder ? '/' : ''}`
}

const isUnprintable = (path: string): boolean => {
  try {
    return UNPRINTABLE.test(decodeURIComponent(path))
  } catch {
    return false
  }
}

const cleanAnswer = (method: string, url: string): RouteResponse | undefined => {
  if (!UNCLEAN.test(url)) return undefined
  const at = url.indexOf('?')
  const path = at < 0 ? url : url.slice(0, at)
  return redirectTargetOf(method, cleaned(path) + (at < 0 ? '' : url.slice(at)))
}

/** The answer to a request whose target is no path of any endpoint as it stands; undefined for all others. */
export const unknownPathResponse = (method: string, target: string): RouteResponse | undefined => {
  if (target.includes('//') || target.includes('/.')) {
    const clean = cleanAnswer(method, originFormOf(target))
    if (clean) return clean
  }
  if (target.includes('%') && isUnprintable(target.split('?', 1)[0] ?? ''))
    return plain(400, 'Bad request: the path holds characters that cannot be printed')
  return undefined
}

/** Paths that only lack the last slash of an endpoint which names something: they lead there. */
export const pathsWithoutSlash = (routes: readonly Route[]): string[] => {
  const all = new Set(routes.flatMap(({ path, aliases = [] }) => [path, ...aliases]))
  const folders = [...all].flatMap(path => {
    const at = path.search(/\/[:*]/)
    return at < 0 ? [] : [path.slice(0, at)]
  })
  return [...new Set(folders)].filter(path => !all.has(path))
}
