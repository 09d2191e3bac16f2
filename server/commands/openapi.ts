import 'reflect-metadata'
import type { Command } from 'commander'
import { MemoryEventLog } from '../../events/log/memory.js'
import { compose } from '../compose.js'
import { openApiOf } from '../../http/openapi/document.js'
import { LiveSettings } from '../settings/settings.js'
import { loadSettings } from '../settings/load.js'
import { ROUTES } from '../../http/wire/route.js'
import type { Console } from '../../clients/cli/console.js'

const HELP = `
A server returns the same document at /v1/openapi.json. Programs such as openapi-generator generate clients from it.

Examples:
  annals openapi > openapi.json
  annals openapi | npx openapi-typescript -o api.d.ts`

/** Returns the OpenAPI document of a server with default settings. */
export const openApiText = (): string => {
  const live = new LiveSettings(() => loadSettings({ env: {}, flags: {} }))
  const routes = compose(live, new MemoryEventLog()).resolve(ROUTES)
  return `${JSON.stringify(openApiOf(routes), null, 2)}\n`
}

export const buildOpenApi = (command: Command, { out }: Console): void => {
  command.addHelpText('after', HELP).action(() => void out.write(openApiText()))
}
