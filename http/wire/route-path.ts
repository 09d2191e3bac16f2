// Syntax of route paths. A path may end in a wildcard such as `*service`, which matches the rest of the path with its slashes.
const REST = /\*(\w+)$/
const PARAMETER = /[:*](\w+)/g

export const REST_PARAMETER = '*'

/** Returns the path in the router's syntax: `/v1/catalog/node/*name` becomes `/v1/catalog/node/*`. */
export const routerPath = (path: string): string => path.replace(REST, REST_PARAMETER)

/** Returns the path in OpenAPI's syntax: `/v1/catalog/node/{name}`. */
export const templatePath = (path: string): string => path.replaceAll(PARAMETER, '{$1}')

export const parametersIn = (path: string): string[] =>
  [...path.matchAll(PARAMETER)].flatMap(([, name]) => name ?? [])
