// Commands on the services and checks of the server's own node (spec: state.md §8).
import type { CheckDefinition } from '../../events/check.js'
import type { CheckDraft } from '../check/ensure.js'
import type { Command } from '../command.js'
import type { ServiceDraft } from '../service/rules.js'

/** A check with what the agent does to find its status. */
export interface AgentCheck {
  readonly draft: CheckDraft
  readonly runner: CheckDefinition
}

export interface AgentService {
  readonly service: ServiceDraft
  readonly checks: readonly AgentCheck[]
}

/** Stores services with their checks: one, or one with its sidecar. Checks that are not named stay. */
export type RegisterAgentServices = Command<
  'RegisterAgentServices',
  {
    readonly node: string
    readonly services: readonly AgentService[]
    /** Checks of these services that are not named go. */
    readonly replaceChecks: boolean
  }
>
/** Removes a service, its checks, and the sidecar that was registered with it. */
export type DeregisterAgentService = Command<
  'DeregisterAgentService',
  { readonly node: string; readonly id: string }
>
export type RegisterAgentCheck = Command<'RegisterAgentCheck', AgentCheck>
export type DeregisterAgentCheck = Command<
  'DeregisterAgentCheck',
  { readonly node: string; readonly id: string }
>
/** What somebody, or the check itself, found. */
export type UpdateAgentCheck = Command<
  'UpdateAgentCheck',
  { readonly node: string; readonly id: string; readonly status: string; readonly output: string }
>
/** Turns maintenance on, for the node or one of its services, or off. */
export type SetMaintenance = Command<
  'SetMaintenance',
  {
    readonly node: string
    /** Undefined for the node. */
    readonly service: string | undefined
    readonly isOn: boolean
    readonly reason: string
  }
>

export type AgentCommand =
  | RegisterAgentServices
  | DeregisterAgentService
  | RegisterAgentCheck
  | DeregisterAgentCheck
  | UpdateAgentCheck
  | SetMaintenance
