// The description of the API in OpenAPI form, made from what the routes declare.
import type { Route } from '../wire/route.js'
import { templatePath } from '../wire/route-path.js'
import { Components } from './components.js'
import { ANSWER_HEADERS, HEADER_PARAMETERS } from './header-parameters.js'
import { operationOf, SECURITY_SCHEMES } from './operation.js'
import { sharedResponses } from './responses.js'
import { TAGS } from './tags.js'

const INFO = {
  title: 'Annals',
  version: '1',
  description:
    'Access control, catalog and health, keys and values, queries, transactions, configuration and the event stream',
  license: { name: 'MIT', identifier: 'MIT' },
  contact: { name: 'Annals' }
}

/** Operations by path and method. */
const pathsOf = (routes: readonly Route[], components: Components): object => {
  const paths: Record<string, Record<string, object>> = {}
  for (const route of routes.filter(({ isVariant }) => !isVariant)) {
    const methods = (paths[templatePath(route.path)] ??= {})
    methods[route.method.toLowerCase()] = operationOf(route, components)
  }
  return paths
}

/**
 * The OpenAPI document of these routes. Cost: all of them, so it is made when it is first asked for.
 * @throws Error where two schemas have one name, or an example lacks
 */
export const openApiOf = (routes: readonly Route[]): object => {
  const components = new Components()
  const paths = pathsOf(routes, components)
  return {
    openapi: '3.1.0',
    info: INFO,
    servers: [
      { url: '/', description: 'The server that gave this description' },
      { url: 'http://127.0.0.1:8500', description: 'A server on this machine, with its default port' }
    ],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      schemas: components.schemas,
      responses: sharedResponses(),
      parameters: HEADER_PARAMETERS,
      headers: ANSWER_HEADERS
    }
  }
}
