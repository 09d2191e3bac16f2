// Entries that describe a service or all of them: service-defaults and proxy-defaults (spec: config.md §4.1, §4.2).

/** Fields of every stored entry. */
export interface StoredFields {
  /** Left out in the namespace `default` (tenancy.md §8). */
  readonly Namespace?: string
  /** Left out in the partition `default`. */
  readonly Partition?: string
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

export interface WithMeta {
  readonly Meta?: Readonly<Record<string, string>>
}

/** `Mode` is free text; `none`, `local` and `remote` have a meaning. */
export interface MeshGateway {
  readonly Mode?: string
}

interface ExposePath {
  readonly ListenerPort?: number
  readonly Path?: string
  readonly LocalPathPort?: number
  readonly Protocol?: string
  readonly ParsedFromCheck?: boolean
}

interface Expose {
  readonly Checks?: boolean
  readonly Paths?: readonly ExposePath[]
}

interface TransparentProxy {
  readonly OutboundListenerPort?: number
  readonly DialedDirectly?: boolean
}

/** A condition on a header of a request: exactly one of Present, Exact, Prefix, Suffix and Regex. */
export interface HeaderMatch {
  readonly Name: string
  readonly Present?: boolean
  readonly Exact?: string
  readonly Prefix?: string
  readonly Suffix?: string
  readonly Regex?: string
  readonly Invert?: boolean
}

interface UpstreamLimits {
  readonly MaxConnections?: number
  readonly MaxPendingRequests?: number
  readonly MaxConcurrentRequests?: number
}

interface PassiveHealthCheck {
  /** Nanoseconds. */
  readonly Interval?: number
  readonly MaxFailures?: number
}

export interface Upstream {
  readonly Name?: string
  readonly Namespace?: string
  readonly Partition?: string
  readonly EnvoyListenerJSON?: string
  readonly EnvoyClusterJSON?: string
  readonly Protocol?: string
  readonly ConnectTimeoutMs?: number
  readonly Limits?: UpstreamLimits
  readonly PassiveHealthCheck?: PassiveHealthCheck
  readonly MeshGateway: MeshGateway
}

interface UpstreamConfig {
  readonly Overrides?: readonly Upstream[]
  readonly Defaults?: Upstream
}

export interface ServiceDefaults extends WithMeta {
  readonly Kind: 'service-defaults'
  readonly Name: string
  /** Lower case; '' when not set. */
  readonly Protocol: string
  readonly Mode?: string
  readonly TransparentProxy: TransparentProxy
  readonly MeshGateway: MeshGateway
  readonly Expose: Expose
  readonly ExternalSNI?: string
  readonly UpstreamConfig?: UpstreamConfig
}

export interface ProxyDefaults extends WithMeta {
  readonly Kind: 'proxy-defaults'
  readonly Name: 'global'
  /** As given; its `protocol` is the protocol of every service without service-defaults (`protocolOf`). */
  readonly Config: Readonly<Record<string, unknown>> | null
  readonly Mode?: string
  readonly TransparentProxy: TransparentProxy
  readonly MeshGateway: MeshGateway
  readonly Expose: Expose
}
