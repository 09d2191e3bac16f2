// Redirects and rejections of paths with doubled slashes, dot segments, a missing last slash or unprintable characters (spec: state.md §1).
import { refusedWith, empty, plain, type RouteResponse } from './response.js'
import type { Route } from './route.js'

const UNCLEAN = /^[^?]*(?:\/\/|\/\.\.?(?:[/?]|$))/
// oxlint-disable-next-line no-control-regex -- the pattern detects control characters
const UNPRINTABLE = /[\u0000-\u001f\u007f]/

export const redirectTargetOf = (method: string, location: string): RouteResponse => {
  const headers = ['Location', location]
  return method === 'GET'
    ? {
        ...plain(301, `<a href="${escaped(location)}">Moved Permanently</a>.\n\n`, headers),
        type: 'text/html; charset=utf-8'
      }
    : empty(301, headers)
}

/** Returns the path and query of a request target in absolute form, as proxies send it (RFC 9112 §3.2.2). */
export const originFormOf = (target: string): string => {
  if (target.startsWith('/')) return target
  const host = /^https?:\/\/[^/?]*/i.exec(target)?.[0]
  if (host === undefined) return target
  const path = target.slice(host.length)
  return path.startsWith('/') ? path : `/${path}`
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Resolves empty and dot segments. A last slash stays. */
const cleaned = (path: string): string => {
  const segments: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  const isFolder = segments.length > 0 && /\/\.{0,2}$/.test(path)
  return `/${segments.join('/')}${isFolder ? '/' : ''}`
}

const isUnprintable = (path: string): boolean => {
  try {
    return UNPRINTABLE.test(decodeURIComponent(path))
  } catch {
    return false
  }
}

/** Matches every target that `unknownPathResponse` may answer, and few others. */
export const UNUSUAL = /\/[/.]|%/

/** Returns the response to a target that is not a normalized path; undefined for all others. */
export const unknownPathResponse = (method: string, target: string): RouteResponse | undefined => {
  if (target.includes('//') || target.includes('/.')) {
    const url = originFormOf(target)
    const [path = ''] = url.split('?', 1)
    if (UNCLEAN.test(url)) return redirectTargetOf(method, cleaned(path) + url.slice(path.length))
  }
  if (target.includes('%') && isUnprintable(target.split('?', 1)[0] ?? ''))
    return refusedWith('request.invalid', 'Bad request: the path holds characters that cannot be printed')
  return undefined
}

/** Returns the paths that lack the last slash of an endpoint with a name, and are redirected to it. */
export const pathsWithoutSlash = (routes: readonly Route[]): string[] => {
  const all = new Set(routes.flatMap(({ path, aliases = [] }) => [path, ...aliases]))
  const folders = [...all].flatMap(path => {
    const at = path.search(/\/[:*]/)
    return at < 0 ? [] : [path.slice(0, at)]
  })
  return [...new Set(folders)].filter(path => !all.has(path))
}
