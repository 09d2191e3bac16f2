// The declarations of all routes, for tests without a server.
import { MemoryEventLog } from '../../events/log/memory.js'
import { compose } from '../../server/compose.js'
import { API_ROUTES } from '../../http/wire/route.js'
import { loadSettings } from '../../server/settings/load.js'
import { LiveSettings } from '../../server/settings/settings.js'

/** Returns every route of the API, from a server that is never started. */
export const allRoutes = compose(
  new LiveSettings(() => loadSettings({ env: {}, flags: {} })),
  new MemoryEventLog()
).resolve(API_ROUTES)
