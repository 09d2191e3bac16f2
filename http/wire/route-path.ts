// Paths of routes. A path may end in a name such as `*service`: all that is left of the path, slashes and all.
const REST = /\*(\w+)$/
const PARAMETER = /[:*](\w+)/g

/** What the router calls the rest of a path, whatever a route calls it. */
export const REST_PARAMETER = '*'

/** The path as the router writes it: `/v1/catalog/node/*name` is `/v1/catalog/node/*`. */
export const routerPath = (path: string): string => path.replace(REST, REST_PARAMETER)

/** The path as OpenAPI writes it: `/v1/catalog/node/{name}`. */
export const templatePath = (path: string): string => path.replaceAll(PARAMETER, '{$1}')

/** The names of the parameters in a path, in their order. */
export const parametersIn = (path: string): string[] =>
  [...path.matchAll(PARAMETER)].flatMap(([, name]) => name ?? [])
