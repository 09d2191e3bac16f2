// `annals check`
import { group, remoteCommand } from '../remote/command.js'
import { CONTENT, textContent } from '../remote/content.js'
import { required, text } from '../remote/flags.js'
import { filtering } from '../remote/listing.js'
import { table } from '../remote/output.js'

const tells = (word: string, status: string) =>
  remoteCommand({
    summary: `Tell that a check is ${status}.`,
    about: 'This restarts the TTL of the check.',
    examples: [
      `annals check ${word} service:web`,
      `annals check ${word} -note="12 % are free" disk`,
      `df -h / | annals check ${word} -note=- disk`
    ],
    args: { id: required('ID of the check; that of a service is service: and its ID') },
    flags: { note: text('text', `what was found; ${CONTENT}`) },
    run: async ({ send, out, args, flags, console }) => {
      const body = { Status: status, Output: await textContent(flags.note ?? '', console) }
      await send('PUT', `/v1/agent/check/update/${encodeURIComponent(args.id)}`, { body })
      out.done(`Check ${args.id} is ${status}`)
    }
  })

interface Check {
  readonly CheckID: string
  readonly Name: string
  readonly Status: string
  readonly ServiceID: string
  readonly Output: string
}

const list = remoteCommand({
  summary: 'List the checks of the server that is asked.',
  about: '`annals health state` lists those of all nodes.',
  examples: ['annals check list'],
  flags: filtering,
  run: async ({ read, out, flags }) =>
    out.show(
      await read<Readonly<Record<string, Check>>>('/v1/agent/checks', { filter: flags.filter }),
      checks =>
        table(
          [['ID', 'CheckID'], 'Name', 'Status', ['Service', 'ServiceID'], 'Output'],
          Object.values(checks).map(check => ({ ...check, Output: check.Output.split('\n', 1)[0] }))
        )
    )
})

export const check = group({
  summary: 'Tell the server what a check has found.',
  examples: ['annals check pass service:web', 'annals check fail -note="no answer" service:web'],
  commands: {
    pass: tells('pass', 'passing'),
    warn: tells('warn', 'warning'),
    fail: tells('fail', 'critical'),
    list
  }
})
