// The tokens that the agent itself uses: from the configuration, and changed while it runs.
import type { Settings } from './settings.js'

/** What the tokens are for, by the names that requests have for them: the present ones, and those of former releases. */
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

/** End with the process: what shall last stands in the configuration. */
export class AgentTokens {
  readonly #secrets = new Map<AgentToken, string>()
  readonly #listeners = new Set<(token: AgentToken, secret: string) => void>()

  constructor(private readonly settings: Settings) {
    this.use('default', settings.acl.tokens.default ?? '')
  }

  /** Stands in for requests and DNS questions without a token of their own; undefined when there is none. */
  get fallback(): string | undefined {
    return this.secretOf('default')
  }

  /** Undefined when there is none. */
  secretOf(token: AgentToken): string | undefined {
    return this.#secrets.get(token)
  }

  /**
   * By which this server asks another datacenter for itself; undefined when there is none. That of replication is for the primary
   * alone, and there it counts before the one of the configuration.
   */
  secretFor(datacenter: string): string | undefined {
    const { primary_datacenter: primary, datacenters } = this.settings
    const given = datacenter === primary ? this.secretOf('replication') : undefined
    return given ?? datacenters[datacenter]?.token
  }

  /** An empty text takes it away. */
  use(token: AgentToken, secret: string): void {
    if (secret === '') this.#secrets.delete(token)
    else this.#secrets.set(token, secret)
    for (const listener of this.#listeners) listener(token, secret)
  }

  /** Calls with each that is changed from now on. */
  onChange(listener: (token: AgentToken, secret: string) => void): void {
    this.#listeners.add(listener)
  }
}
