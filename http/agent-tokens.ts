// The tokens that the agent itself uses: from the configuration, and changed while it runs.
import type { Settings } from './settings.js'

/** Ends with the process: what shall last stands in the configuration. */
export class AgentTokens {
  #fallback: string

  constructor({ acl }: Settings) {
    this.#fallback = acl.tokens.default ?? ''
  }

  /** Stands in for requests and DNS questions without a token of their own; undefined when there is none. */
  get fallback(): string | undefined {
    return this.#fallback || undefined
  }

  /** An empty text takes it away. */
  useFallback(secret: string): void {
    this.#fallback = secret
  }
}
