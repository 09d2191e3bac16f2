// Entries that describe a service or all of them: service-defaults and proxy-defaults (spec: config.md §4.1, §4.2).
import type { Expose, MeshGateway, TransparentProxy, WithMeta } from './shared.js'

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
