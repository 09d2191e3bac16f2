// Reports keys of an agent's configuration that have no meaning here.
import type { AgentSettings } from '../settings/from-agent.js'

export const ignoredKeyLines = ({ dropped }: AgentSettings): string =>
  dropped.map(({ path, why }) => `not taken: ${path} (${why})\n`).join('')
