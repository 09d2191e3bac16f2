// What is declared about all routes, for tests that need no server.
import { MemoryEventLog } from '../../events/log/memory.js'
import { compose } from '../../server/compose.js'
import { allRoutes as routesOf } from '../../http/routes/all.js'
import { loadSettings } from '../../server/settings/load.js'
import { LiveSettings } from '../../server/settings/live-settings.js'

/** Every route of the API, of a server that is never started. */
export const allRoutes = routesOf(
  compose(new LiveSettings(() => loadSettings({ env: {}, flags: {} })), new MemoryEventLog())
)
