import type { InjectionToken } from 'tsyringe'
import type { Static, TSchema } from 'typebox'
import type { WebSocket } from 'ws'
import { isObject } from '../../events/values.js'
import type { Tag } from '../openapi/tags.js'
import type { RouteResponse } from './response.js'
import type { BodySpec } from './bodies/body.js'
import type { BodyFile, BodyLimit } from './bodies/request-body.js'
import type { HistoryDeclaration } from './history-declaration.js'
import type { RequestContext } from './request-context.js'
import type { BodyTenancy, TenancyFacts } from './tenancy.js'
import { invalid } from '../../actors/refusal.js'
import { InvalidValue } from '../../events/definition/forms/form.js'
import { fieldsReader } from '../../events/definition/forms/forms.js'
import type { Fields, RequestBodyOf, Input, ResourceDefinition } from '../../events/definition/types.js'

type Method = 'GET' | 'PUT' | 'POST' | 'DELETE'

/** The permission of an endpoint in terms of the rule language: `acl:read`, `key:write`; spec: acl.md §11. */
export interface Access {
  readonly permissions: readonly string[]
  /** The resource or the condition, where the permission alone does not say it. */
  readonly note?: string
  /** False if the token is ignored. */
  readonly resolvesToken: boolean
  /** True if the content of the body determines whether the token matters, so that the body is read first. */
  readonly isByContent?: true
}

const withToken = (permissions: readonly string[], note?: string): Access => ({
  permissions,
  resolvesToken: true,
  ...(note === undefined ? {} : { note })
})

export const requires = (permission: string, note?: string): Access => withToken([permission], note)
export const anyToken = (note?: string): Access => withToken([], note)
/** Like `anyToken`, where the content of the body determines whether the token matters. */
export const tokenByContent = (note: string): Access => ({ ...anyToken(note), isByContent: true })
export const noToken: Access = { permissions: [], resolvesToken: false }

/**
 * The server of a cluster that answers a request. `leader`: the leader. `anywhere`: the receiving server if it is up to date or the reader
 * accepts stale data. `here`: the receiving server, whose own state is read or changed.
 */
type Runs = 'leader' | 'anywhere' | 'here'

type Consistency = 'none' | 'consistent' | 'all'
type Caching = 'none' | 'simple' | 'background refresh'

interface RawContent {
  readonly type: string
  readonly description: string
  /** Absent for binary content. */
  readonly example?: string
}

export interface Outcome {
  readonly description: string
  readonly response?: TSchema
}

export interface RouteFacts extends TenancyFacts {
  readonly method: Method
  /**
   * `/v1/acl/token/:AccessorID`, or `/v1/catalog/node/*name` for a free-text name: the rest of the path, decoded once, so that a slash may
   * be sent literally or as `%2F` (state.md §6.2). It may be empty.
   */
  readonly path: string
  readonly aliases?: readonly string[]
  /** The name of the operation in generated clients: `listPolicies`. Must never change. */
  readonly operationId: string
  readonly summary: string
  readonly tag: Tag
  readonly access: Access
  readonly blocking?: boolean
  readonly consistency?: Consistency
  readonly caching?: Caching
  /** Default: `anywhere` for reads, `leader` for writes. */
  readonly runs?: Runs | ((request: RequestContext) => Runs)
  /**
   * The process of a server with workers that answers routes which run `anywhere`; default: any. `main`: the main process, which alone has
   * the data, or to which expensive reads of the log are left.
   */
  readonly process?: 'main'
  /**
   * The meaning of `dc`; default: forward the request to that datacenter. `or region`: `region` means the same. `checked`: must be known,
   * but the owning datacenter executes the write. `ignored`: no meaning, for the receiving server's own data.
   */
  readonly dc?: 'ignored' | 'checked' | 'or region'
  /**
   * Returns the datacenter that owns the resource, such as the primary; undefined for this one. Called after the body has arrived, on
   * servers that know other datacenters. An unknown name means this datacenter. @throws Refusal for a malformed body
   */
  readonly belongsTo?: (request: RequestContext) => string | undefined
  /** For GET: answered immediately from the current state, even if the read models or the log are not ready. Also answers HEAD. */
  readonly isProbe?: true
  /** Descriptions of query parameters; schemas for those that are not text. */
  readonly query?: Readonly<Record<string, string | TSchema>>
  /** True for a list with pagination (`reads/page.ts`). */
  readonly isPaged?: true
  /** For GET: how to answer for an earlier index; absent if that has no meaning. */
  readonly past?: HistoryDeclaration
  readonly headers?: Readonly<Record<string, string>>
  /** Rejects undeclared query parameters instead of ignoring them. */
  readonly refusesUnknown?: true
  readonly response?: TSchema
  /** The content of a response with status 200 that is not, or not always, JSON. */
  readonly rawResponse?: RawContent
  readonly rawBody?: RawContent
  /** Descriptions of responses with other statuses that only this route has, and their JSON unless they are text. */
  readonly outcomes?: Readonly<Record<number, Outcome>>
  /**
   * The meaning of `X-Service-Idempotency-Key`; default: the response is stored with the commit, and returned to callers who still have the
   * permissions that it needs. `revalidated`: returned to callers for whom the handler reaches its write, where the body proves the caller.
   * `by the key`: returned to anyone with the key, which must be long, where nothing else can prove the caller. `nothing written`: no
   * meaning. Otherwise: rejected, with the reason.
   */
  readonly idempotency?: 'revalidated' | 'by the key' | 'nothing written' | { readonly refused: string }
  /** True if OpenAPI cannot distinguish the path from that of an equivalent route. */
  readonly isVariant?: true
  /** The limit of the body instead of `http_body_bytes`: a setting, or a number of bytes. */
  readonly bodyLimit?: BodyLimit | number
}

export type OpenWebSocket = (socket: WebSocket) => void

export interface Route extends RouteFacts {
  readonly body?: BodySpec<TSchema>
  /** For bodies in files: called before the body arrives. @throws Refusal if the caller may not send it */
  readonly admit?: (request: RequestContext) => void
  /** For WebSocket requests: called synchronously. Unless it returns a function, `handle` is called and states the reason. */
  readonly webSocket?: (request: RequestContext) => OpenWebSocket | undefined
  readonly subprotocols?: readonly string[]
  /** Called before a request is forwarded to the datacenter that it names. @throws Refusal if this server does not allow that */
  readonly checkHere?: (request: RequestContext) => void
  readonly handle: (request: RequestContext) => RouteResponse | Promise<RouteResponse>
  /** Answers a request with `at` or `diff`, which names an earlier index. */
  readonly handlePast?: (request: RequestContext) => Promise<RouteResponse>
  /** Called after the leader has answered successfully, to update data of this server. */
  readonly afterLeader?: (request: RequestContext) => void
}

export const PRIMARY_WRITE: Required<Pick<RouteFacts, 'dc' | 'belongsTo'>> = {
  dc: 'checked',
  belongsTo: ({ settings }) => settings.primary_datacenter
}

/** Answers a request, of an earlier index if it names one. */
export const answerTo = (
  { handle, handlePast }: Route,
  request: RequestContext
): RouteResponse | Promise<RouteResponse> =>
  handlePast && (request.query.has('at') || request.query.has('diff')) ? handlePast(request) : handle(request)

export const methodsOf = ({ method, isProbe }: RouteFacts): readonly (Method | 'HEAD')[] =>
  isProbe ? [method, 'HEAD'] : [method]

/** Returns true for a route that writes nothing. */
export const isRead = ({ method, idempotency }: Pick<RouteFacts, 'method' | 'idempotency'>): boolean =>
  method === 'GET' || idempotency === 'nothing written'

export const runsOf = (route: RouteFacts, request: RequestContext): Runs => {
  const { runs } = route
  if (typeof runs === 'function') return runs(request)
  return runs ?? (isRead(route) ? 'anywhere' : 'leader')
}

export const ROUTES: InjectionToken<readonly Route[]> = Symbol('Routes')

/** The routes that every server has. */
export const API_ROUTES: InjectionToken<readonly Route[]> = Symbol('ApiRoutes')

/** Registered by each capability with routes of its own: a cluster, datacenters, replication. */
export const MORE_ROUTES: InjectionToken<readonly Route[]> = Symbol('MoreRoutes')

export const route = (
  facts: RouteFacts & Pick<Route, 'handle' | 'webSocket' | 'subprotocols' | 'afterLeader'>
): Route => facts

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const tenancyIn = (body: unknown): BodyTenancy | undefined => {
  if (!isObject(body)) return undefined
  const { Namespace, Partition } = body
  if (Namespace === undefined && Partition === undefined) return undefined
  return { Namespace: textOf(Namespace), Partition: textOf(Partition) }
}

/** Creates a route with a JSON body, which `handle` receives validated. A tenancy in the body applies to the request. */
export const bodyRoute = <Schema extends TSchema>(
  facts: RouteFacts &
    Pick<Route, 'afterLeader'> & {
      readonly body: BodySpec<Schema>
      readonly handle: (
        request: RequestContext,
        body: Static<Schema>
      ) => RouteResponse | Promise<RouteResponse>
    }
): Route => {
  const { body, handle, ...rest } = facts
  return {
    ...rest,
    body,
    handle: request => {
      const decoded = request.decode(body)
      const tenancy = tenancyIn(decoded)
      if (tenancy) request.useBodyTenancy(tenancy)
      return handle(request, decoded)
    }
  }
}

export const fileRoute = (
  facts: RouteFacts & {
    readonly admit: (request: RequestContext) => void
    readonly handle: (request: RequestContext, body: BodyFile) => RouteResponse | Promise<RouteResponse>
  }
): Route => {
  const { handle, ...rest } = facts
  return {
    ...rest,
    handle: request => {
      const { file } = request
      if (!file) throw new Error('the request has no body in a file')
      return handle(request, file)
    }
  }
}

/**
 * Returns a function that converts request bodies of a resource definition to inputs, with defaults for absent fields.
 * @param failure the beginning of errors
 * @throws Refusal `invalid` from the returned function, for malformed durations and times
 */
export function inputsOf<F extends Fields>(
  definition: Pick<ResourceDefinition<F>, 'name' | 'fields'>,
  failure?: string
): (raw: RequestBodyOf<F>) => Input<F>
export function inputsOf(
  { name, fields }: Pick<ResourceDefinition, 'name' | 'fields'>,
  failure = `Bad request: ${name} decoding failed`
): (raw: unknown) => Readonly<Record<string, unknown>> {
  const read = fieldsReader(fields)
  return raw => {
    try {
      return read(raw)
    } catch (error) {
      throw error instanceof InvalidValue ? invalid('body.invalid', `${failure}: ${error.message}`) : error
    }
  }
}
