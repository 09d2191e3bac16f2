import { messageOf } from '../../../events/errors.js'
import { UsageError, type Console } from '../console.js'
import { runChild, runUntilInterrupted } from '../remote/child.js'
import { remoteCommand } from '../remote/command.js'
import { on } from '../remote/flags.js'

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { darwin: 'open', win32: 'start ""' }

/** Returns true if the program of $BROWSER, or that of the system, has opened the address. */
const isOpened = async ({ env }: Console, address: string): Promise<boolean> => {
  const browser = env['BROWSER'] || (OPENERS[process.platform] ?? 'xdg-open')
  // The shell must not interpret the address.
  const variable = process.platform === 'win32' ? '%ANNALS_UI%' : '$ANNALS_UI'
  const code = await runUntilInterrupted(signal =>
    runChild({ command: [`${browser} "${variable}"`], env: { ...env, ANNALS_UI: address }, signal })
  )
  return code === 0
}

export const ui = remoteCommand({
  summary: 'Open the web UI in the browser, signed in with the token of the request.',
  about:
    'The address has a code that the page exchanges for the token. A code is for one use within 60 seconds, at any server of the cluster.\nWithout a browser, the command prints the address.',
  examples: ['annals ui', 'annals ui -print'],
  flags: { print: on('print the address instead of opening it') },
  run: async ({ write, connection, console, out, flags }) => {
    if (connection.address === 'http://localhost')
      throw new UsageError('a browser cannot open a Unix socket: give the HTTP address of the server')
    const { Code } = await write('post', '/v1/acl/sign-in-code', undefined)
    const address = `${connection.address}/ui/sign-in/code#${Code}`
    if (flags.print) return out.print(address)
    try {
      if (await isOpened(console, address)) return
    } catch (error) {
      out.note(messageOf(error))
    }
    out.note('No browser was opened. Open this address within 60 seconds:')
    out.print(address)
  }
})
