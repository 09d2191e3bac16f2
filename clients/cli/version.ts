import type { Command } from 'commander'
import { versionText } from '../../events/version.js'
import type { Console } from './console.js'

export const buildVersion = (command: Command, { out }: Console): void => {
  command.action(() => {
    out.write(`${versionText()}\n`)
  })
}
