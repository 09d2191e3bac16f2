// service-router: the routes of the requests to a service (spec: config.md §4.3).
import type { ServiceRoute, ServiceRouter } from '../../../events/config/routing.js'
import type { Tenancy } from '../../../events/envelope.js'
import { ConfigError } from '../fields/decoder.js'
import { list } from '../fields/containers.js'
import { always, storedIfFilled, storedAsGiven, nullable, object } from '../fields/object.js'
import { durationText, flag, lowerText, text, uint32 } from '../fields/scalars.js'
import {
  checkHeaders,
  checkMethods,
  checkPath,
  countPresent,
  headerField,
  methodsField,
  pathFields
} from './http-match.js'
import { checkMeta, checkName, meta, nameField, serviceFields, type KindRules } from './kind.js'

const queryParam = object({
  Name: always(text, ''),
  Present: storedIfFilled(flag),
  Exact: storedIfFilled(text),
  Regex: storedIfFilled(text)
})

const http = object({
  ...pathFields,
  Header: headerField,
  QueryParam: storedIfFilled(list(queryParam, {})),
  Methods: methodsField
})

const destination = object({
  Service: storedIfFilled(text),
  ServiceSubset: storedIfFilled(text),
  Namespace: storedIfFilled(text),
  Partition: storedIfFilled(lowerText),
  PrefixRewrite: storedIfFilled(text),
  RequestTimeout: storedIfFilled(durationText),
  NumRetries: storedIfFilled(uint32),
  RetryOnConnectFailure: storedIfFilled(flag),
  RetryOnStatusCodes: storedIfFilled(list(uint32, 0))
})

const routes = list(
  object({
    Match: storedAsGiven(object({ HTTP: storedAsGiven(http) })),
    Destination: storedAsGiven(destination)
  }),
  {}
)
const body = object({ ...nameField, Routes: nullable(routes), Meta: meta, ...serviceFields })

const checkRoute = ({ Match, Destination }: ServiceRoute, path: string): void => {
  const HTTP = Match?.HTTP
  if (HTTP) {
    const at = `${path}.Match.HTTP`
    checkPath(HTTP, at)
    checkHeaders(HTTP.Header, at)
    for (const [i, { Name, Present, Exact, Regex }] of (HTTP.QueryParam ?? []).entries()) {
      if (Name === '') throw new ConfigError(`field "${at}.QueryParam[${i}].Name" is required`)
      if (countPresent(Present, Exact, Regex) !== 1)
        throw new ConfigError(`"${at}.QueryParam[${i}]" must have exactly one of Present, Exact and Regex`)
    }
    checkMethods(HTTP.Methods, at)
  }
  if (Destination?.PrefixRewrite !== undefined && !HTTP?.PathExact && !HTTP?.PathPrefix)
    throw new ConfigError(
      `field "${path}.Destination.PrefixRewrite" needs a match by PathExact or PathPrefix`
    )
}

/** Outside `default`, a destination without a namespace gets that of the entry. */
const inNamespace = (route: ServiceRoute, { namespace }: Tenancy): ServiceRoute =>
  route.Destination && namespace !== 'default'
    ? { ...route, Destination: { ...route.Destination, Namespace: route.Destination.Namespace ?? namespace } }
    : route

export const serviceRouter: KindRules<ServiceRouter> = {
  schemas: body.schemas,
  decode: (given, spelling) => ({ Kind: 'service-router', ...body(given, '', spelling) }),
  normalise: (content, tenancy) => ({
    ...content,
    Routes: content.Routes && content.Routes.map(route => inNamespace(route, tenancy))
  }),
  validate: ({ Name, Meta, Routes }, _tenancy, check) => {
    check(() => checkName(Name))
    check(() => checkMeta(Meta))
    for (const [i, route] of (Routes ?? []).entries()) check(() => checkRoute(route, `Routes[${i}]`))
  }
}
