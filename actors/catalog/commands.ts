// Commands on the catalog as a whole (spec: state.md §6.2, §6.3).
import type { Tenancy } from '../../events/envelope.js'
import type { CheckDraft } from '../check/ensure.js'
import type { Command } from '../command.js'
import type { NodeDraft } from '../node/ensure.js'
import type { ServiceDraft } from '../service/rules.js'

/** What comes with a check besides itself. */
export interface RegisteredCheck {
  readonly draft: CheckDraft
  /** Namespace of its service; undefined for that of the command. */
  readonly namespace: string | undefined
}

/** Stores a node, and what else is given, in one commit. Services and checks that are not named stay. */
export type Register = Command<
  'Register',
  {
    readonly node: NodeDraft
    /** An existing node is left as it is. */
    readonly skipNodeUpdate: boolean
    readonly service: ServiceDraft | undefined
    /** Of the service, undefined for that of the command. */
    readonly serviceNamespace: string | undefined
    readonly checks: readonly RegisteredCheck[]
  }
>

/** Removes an instance, a check, or with neither the node; what is not there is no error. */
export type Deregister = Command<
  'Deregister',
  { readonly node: string; readonly serviceId: string; readonly checkId: string }
>

export type CatalogCommand = Register | Deregister

/** The namespace that a part of a command names, or that of the command. */
export const tenancyWith = (tenancy: Tenancy, namespace: string | undefined): Tenancy =>
  namespace ? { partition: tenancy.partition, namespace: namespace.toLowerCase() } : tenancy
