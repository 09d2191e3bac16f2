// Keys of an agent that mean nothing here, told to people.
import type { AgentSettings } from '../settings/from-agent.js'

/** A line for each. */
export const ignoredKeyLines = ({ dropped }: AgentSettings): string =>
  dropped.map(({ path, why }) => `not taken: ${path} (${why})\n`).join('')
