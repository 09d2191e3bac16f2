import { group, remoteCommand, showCommand } from '../remote/command.js'
import { CONTENT, textContent } from '../remote/content.js'
import { required, text } from '../remote/flags.js'
import { filtering, withShortOutput } from '../remote/listing.js'
import { table } from '../remote/output.js'

const tells = (word: string, status: string) =>
  remoteCommand({
    summary: `Set the status of a check to ${status}.`,
    about: 'This restarts the TTL of the check.',
    examples: [
      `annals check ${word} service:web`,
      `annals check ${word} -note="12 % are free" disk`,
      `df -h / | annals check ${word} -note=- disk`
    ],
    args: { id: required('ID of the check; service:ID for the check of a service') },
    flags: { note: text('text', `output of the check; ${CONTENT}`) },
    run: async ({ write, out, args, flags, console }) => {
      const body = { Status: status, Output: await textContent(flags.note ?? '', console) }
      await write('put', '/v1/agent/check/update/{id}', body, args)
      out.note(`Check ${args.id} is ${status}`)
    }
  })

const list = showCommand({
  summary: 'List the checks of the agent.',
  about: '`annals health state` lists the checks of all nodes.',
  examples: ['annals check list'],
  flags: filtering,
  path: '/v1/agent/checks',
  parameters: ({ flags: { filter } }) => ({ filter }),
  asText: checks =>
    table(
      [['ID', 'CheckID'], 'Name', 'Status', ['Service', 'ServiceID'], 'Output'],
      withShortOutput(Object.values(checks))
    )
})

export const check = group({
  summary: 'Report the result of a check.',
  examples: ['annals check pass service:web', 'annals check fail -note="no answer" service:web'],
  commands: {
    pass: tells('pass', 'passing'),
    warn: tells('warn', 'warning'),
    fail: tells('fail', 'critical'),
    list
  }
})
