// Entries about who reaches what: intentions, gateways and the mesh (spec: config.md §4.6 to §4.10).
import type { HeaderMatch, WithMeta } from './services.js'

export interface PermissionHttp {
  readonly PathExact?: string
  readonly PathPrefix?: string
  readonly PathRegex?: string
  readonly Header?: readonly HeaderMatch[]
  readonly Methods?: readonly string[]
}

export interface IntentionPermission {
  readonly Action: string
  readonly HTTP?: PermissionHttp
}

export interface IntentionSource {
  readonly Name: string
  /** As it was said, and always outside `default`. */
  readonly Namespace?: string
  readonly Partition?: string
  readonly Action?: string
  readonly Permissions?: readonly IntentionPermission[]
  /** Computed; the higher one counts. */
  readonly Precedence: number
  readonly Type: string
  readonly Description?: string
  /** UUID; only of an intention that was written by its ID, as the three fields that follow. */
  readonly LegacyID?: string
  /** Left out when it is empty. */
  readonly LegacyMeta?: Readonly<Record<string, string>>
  /** RFC 3339. */
  readonly LegacyCreateTime?: string
  /** RFC 3339. */
  readonly LegacyUpdateTime?: string
}

export interface ServiceIntentions extends WithMeta {
  readonly Kind: 'service-intentions'
  /** The destination, or `*`. */
  readonly Name: string
  /** Highest precedence first. */
  readonly Sources: readonly IntentionSource[]
}

export interface IngressService {
  readonly Name: string
  readonly Namespace?: string
  readonly Partition?: string
  /** Null and empty are different values. */
  readonly Hosts: readonly string[] | null
  readonly Meta?: Readonly<Record<string, string>>
}

export interface IngressListener {
  readonly Port: number
  readonly Protocol: string
  readonly Services: readonly IngressService[] | null
}

export interface IngressGateway extends WithMeta {
  readonly Kind: 'ingress-gateway'
  readonly Name: string
  readonly TLS: { readonly Enabled: boolean }
  /** Null and empty are different values. */
  readonly Listeners: readonly IngressListener[] | null
}

export interface LinkedService {
  readonly Name?: string
  readonly Namespace?: string
  readonly Partition?: string
  readonly CAFile?: string
  readonly CertFile?: string
  readonly KeyFile?: string
  readonly SNI?: string
}

export interface TerminatingGateway extends WithMeta {
  readonly Kind: 'terminating-gateway'
  readonly Name: string
  /** Null and empty are different values. */
  readonly Services: readonly LinkedService[] | null
}

/** Who may use a service of the partition. */
interface ServiceConsumer {
  readonly Partition: string
}

/** A service that other partitions may use; `*` stands for all of a namespace, or for all namespaces. */
export interface ExportedService {
  readonly Name: string
  readonly Namespace: string
  readonly Consumers: readonly ServiceConsumer[]
}

export interface ExportedServices extends WithMeta {
  readonly Kind: 'exported-services'
  /** The partition. */
  readonly Name: string
  readonly Services: readonly ExportedService[]
}

/** The one mesh entry shows no name; its key says `mesh`. */
export interface Mesh extends WithMeta {
  readonly Kind: 'mesh'
  readonly TransparentProxy: { readonly MeshDestinationsOnly: boolean }
}
