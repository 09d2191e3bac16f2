// The tokens that the agent itself uses, from the configuration or set at run time.
import { EventEmitter } from 'eventemitter3'
import type { Settings } from './settings.js'

/** Token kinds by their names in requests, including those of earlier releases. */
export const AGENT_TOKENS = {
  default: 'default',
  acl_token: 'default',
  agent: 'agent',
  acl_agent_token: 'agent',
  agent_recovery: 'agent_recovery',
  agent_master: 'agent_recovery',
  acl_agent_master_token: 'agent_recovery',
  replication: 'replication',
  acl_replication_token: 'replication'
} as const

export type AgentToken = (typeof AGENT_TOKENS)[keyof typeof AGENT_TOKENS]

/** Tokens set at run time end with the process. */
export class AgentTokens {
  readonly #secrets = new Map<AgentToken, string>()
  readonly signals = new EventEmitter<{ changed: [token: AgentToken, secret: string] }>()

  constructor(private readonly settings: Settings) {
    this.use('default', settings.acl.tokens.default ?? '')
  }

  /** Used for requests and DNS questions without a token. */
  get fallback(): string | undefined {
    return this.secretOf('default')
  }

  secretOf(token: AgentToken): string | undefined {
    return this.#secrets.get(token)
  }

  /** Returns the token for own requests to another datacenter. For the primary, the replication token precedes the one of the configuration. */
  secretFor(datacenter: string): string | undefined {
    const { primary_datacenter: primary, datacenters } = this.settings
    const replicationToken = datacenter === primary ? this.secretOf('replication') : undefined
    return replicationToken ?? datacenters[datacenter]?.token
  }

  /** An empty secret removes the token. */
  use(token: AgentToken, secret: string): void {
    if (secret === '') this.#secrets.delete(token)
    else this.#secrets.set(token, secret)
    this.signals.emit('changed', token, secret)
  }
}
