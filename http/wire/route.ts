// What a route is: a path with everything that is declared about it, so that it can be enforced, tested and documented.
import type { InjectionToken } from 'tsyringe'
import type { Static, TSchema } from 'typebox'
import type { WebSocket } from 'ws'
import type { Tag } from '../openapi/tags.js'
import type { RouteResponse } from './response.js'
import type { BodySpec } from './bodies/body.js'
import type { BodyFile } from './bodies/body-files.js'
import type { BodyLimit } from './bodies/request-body.js'
import type { HistoryDeclaration } from './history-declaration.js'
import type { RequestContext } from './request-context.js'
import type { BodyTenancy, TenancyFacts } from './tenancy.js'

type Method = 'GET' | 'PUT' | 'POST' | 'DELETE'

/** The permission an endpoint needs, in words of the rule language: `acl:read`, `key:write`; spec: acl.md §11. */
export interface Access {
  /** Permissions that the endpoint asks for; empty when it asks for none. */
  readonly permissions: readonly string[]
  /** On what, or under which condition, where the permission alone does not say it. */
  readonly note?: string
  /** False when the token presented is not even looked up. */
  readonly resolvesToken: boolean
  /** Whether the content of the body decides if the token matters at all, so that the body is read first. */
  readonly isByContent?: true
}

export const requires = (permission: string, note?: string): Access => ({
  permissions: [permission],
  resolvesToken: true,
  ...(note === undefined ? {} : { note })
})
/** Any valid token, the anonymous one included. */
export const anyToken = (note?: string): Access => ({
  permissions: [],
  resolvesToken: true,
  ...(note === undefined ? {} : { note })
})
/** As `anyToken`, where the content of the body decides whether the token matters at all. */
export const tokenByContent = (note: string): Access => ({ ...anyToken(note), isByContent: true })
/** Whatever token is presented, it is not looked at. */
export const noToken: Access = { permissions: [], resolvesToken: false }

/**
 * By which server of a cluster a request is answered. `leader`: the one that decides. `anywhere`: the one that is asked, when it
 * shows what is newest, or the reader takes less. `here`: the one that is asked, of which it tells or which it changes.
 */
type Runs = 'leader' | 'anywhere' | 'here'

type Consistency = 'none' | 'consistent' | 'all'
type Caching = 'none' | 'simple' | 'background refresh'

/** Content that is no JSON. */
interface RawContent {
  readonly type: string
  readonly description: string
  /** None where it is no text. */
  readonly example?: string
}

/** An answer that is not the usual one. */
export interface Outcome {
  readonly description: string
  readonly response?: TSchema
}

/** What is declared about a route (the request-metadata row of api.md). */
export interface RouteFacts extends TenancyFacts {
  readonly method: Method
  /**
   * `/v1/acl/token/:AccessorID`, or `/v1/catalog/node/*name` for a name that is free text: it is all that is left of the path,
   * decoded once, so that a slash in it may be sent as it is or as `%2F` (state.md §6.2). It may be empty.
   */
  readonly path: string
  /** Further paths that mean the same. */
  readonly aliases?: readonly string[]
  /** What generated clients call the operation: `listPolicies`. It stays when the path or the summary changes. */
  readonly operationId: string
  readonly summary: string
  readonly tag: Tag
  readonly access: Access
  /** Whether the route accepts `index` and `wait`. Default: false. */
  readonly blocking?: boolean
  /** The consistency modes that the route accepts. Default: `none`. */
  readonly consistency?: Consistency
  /** The effect of `cached`. Default: `none`. */
  readonly caching?: Caching
  /** Absent: `anywhere` where nothing is written, `leader` of all else. */
  readonly runs?: Runs | ((request: RequestContext) => Runs)
  /**
   * Which process of a server with workers answers what runs `anywhere`. Absent: any of them. `main`: the main one, which alone keeps what
   * is asked for, or which is to do what reads much of the log, so that the workers stay quick.
   */
  readonly process?: 'main'
  /**
   * What `dc` means. Absent: the request is sent to the datacenter that it names. `or region`: so does `region`. `checked`: it must be
   * known, but the resource has a datacenter of its own where it is written. `ignored`: nothing, for what is of the server that is asked.
   */
  readonly dc?: 'ignored' | 'checked' | 'or region'
  /**
   * Returns the name of the datacenter that decides, where that is not always the one that received the request: the primary for
   * resources that all datacenters have from there; undefined for this one. Called when the body has arrived, on servers that know other
   * datacenters. A name that is not known means this one. Throws a Refusal for a body that cannot be read.
   */
  readonly belongsTo?: (request: RequestContext) => string | undefined
  /**
   * Of a GET: answered at once, of what is so at that moment, also while the read models are made anew or the log takes nothing. HEAD
   * is answered too.
   */
  readonly isProbe?: true
  /** Query parameters and what they mean; those that are not text with a schema. */
  readonly query?: Readonly<Record<string, string | TSchema>>
  /** A list that can be asked for in pages (`reads/page.ts`). */
  readonly isPaged?: true
  /** Of a GET: how it is answered from what the log holds of before; absent where that means nothing. */
  readonly past?: HistoryDeclaration
  /** Headers that only this route knows, by their names, and what they mean. */
  readonly headers?: Readonly<Record<string, string>>
  /** Whether a query parameter that is not declared is refused; one that is misspelt is ignored otherwise. */
  readonly refusesUnknown?: true
  /** The JSON of an answer with status 200. */
  readonly response?: TSchema
  /** What an answer with status 200 holds that is no JSON, or need not be. */
  readonly rawResponse?: RawContent
  /** A body that is no JSON. */
  readonly rawBody?: RawContent
  /** Answers with other statuses that only this route has: what they mean, and their JSON where they are no text. */
  readonly outcomes?: Readonly<Record<number, Outcome>>
  /**
   * How the route takes `X-Service-Idempotency-Key`. Absent: the answer is kept with the commit, and given again to who still has the
   * rights that it took. `checked anew`: to who comes through all of the route to its write, where the body proves who asks. `by the
   * key`: to who has the key, where nothing else can prove it, so that the key must be long. `nothing written`: the header means
   * nothing. Otherwise it is refused, and why.
   */
  readonly idempotency?: 'checked anew' | 'by the key' | 'nothing written' | { readonly refused: string }
  /** True where the paths of OpenAPI cannot tell the route from another one that does the same. */
  readonly isVariant?: true
  /** What limits the body, where it is not `http_body_bytes`: a setting, or a number of bytes. */
  readonly bodyLimit?: BodyLimit | number
}

/** Takes a WebSocket over when it is open. */
export type OpenWebSocket = (socket: WebSocket) => void

export interface Route extends RouteFacts {
  readonly body?: BodySpec<TSchema>
  /**
   * Only where the body goes to a file: asked when the headers of a request are there, before its body comes. Throws a Refusal
   * where the caller may not send it.
   */
  readonly admit?: (request: RequestContext) => void
  /**
   * Only where a request may become a WebSocket: asked, without a wait, when one would like to. What is not accepted (undefined,
   * or a Refusal thrown) goes on to `handle`, which says why.
   */
  readonly webSocket?: (request: RequestContext) => OpenWebSocket | undefined
  /** Subprotocols that its WebSockets may have; one of them is chosen when a client offers it. */
  readonly subprotocols?: readonly string[]
  /** Asked before a request is sent to the datacenter that it names: throws a Refusal where this server does not allow that. */
  readonly checkHere?: (request: RequestContext) => void
  /** Answers, or throws a Refusal. */
  readonly handle: (request: RequestContext) => RouteResponse | Promise<RouteResponse>
  /** Called where a request was asked that the leader has answered with success: for what only this server keeps. */
  readonly afterLeader?: (request: RequestContext) => void
}

/** Of what is written in the primary datacenter, whichever is named. */
export const PRIMARY_WRITE: Required<Pick<RouteFacts, 'dc' | 'belongsTo'>> = {
  dc: 'checked',
  belongsTo: ({ settings }) => settings.primary_datacenter
}

/** The methods that a route answers. */
export const methodsOf = ({ method, isProbe }: RouteFacts): readonly (Method | 'HEAD')[] =>
  isProbe ? [method, 'HEAD'] : [method]

/** By which server of a cluster a request to a route is answered. */
export const runsOf = ({ runs, method, idempotency }: RouteFacts, request: RequestContext): Runs => {
  if (typeof runs === 'function') return runs(request)
  return runs ?? (method === 'GET' || idempotency === 'nothing written' ? 'anywhere' : 'leader')
}

/** The routes of a server. */
export const ROUTES: InjectionToken<readonly Route[]> = Symbol('Routes')

/** Those that only servers of a cluster have. Registered only there. */
export const CLUSTER_ROUTES: InjectionToken<readonly Route[]> = Symbol('ClusterRoutes')

/** Those that only servers of several datacenters have; registered only there, by each part that has some. */
export const DATACENTER_ROUTES: InjectionToken<readonly Route[]> = Symbol('DatacenterRoutes')

/** A route without a body, or with one that is not JSON. */
export const route = (
  facts: RouteFacts & Pick<Route, 'handle' | 'webSocket' | 'subprotocols' | 'afterLeader'>
): Route => facts

const tenancyIn = (body: unknown): BodyTenancy => {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return {}
  const textOf = (field: 'Namespace' | 'Partition'): string | undefined => {
    const value: unknown = Reflect.get(body, field)
    return typeof value === 'string' ? value : undefined
  }
  return { Namespace: textOf('Namespace'), Partition: textOf('Partition') }
}

/** A route with a JSON body, which `handle` gets checked and typed. A tenancy that it names counts for the request. */
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
      request.useBodyTenancy(tenancyIn(decoded))
      return handle(request, decoded)
    }
  }
}

/** A route whose body is too large for memory: `handle` gets it as a file, which is removed when the request is answered. */
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
      const { file } = request.incoming
      if (!file) throw new Error('the body did not go to a file')
      return handle(request, file)
    }
  }
}
