import { showCommand } from '../remote/command.js'
import { required } from '../remote/flags.js'
import { table } from '../remote/output.js'

export const search = showCommand({
  summary: 'Find resources of all kinds by a part of their name, key, ID or description.',
  about:
    'Prints at most 50 resources that the token may read, the most recently changed first. Letter case is ignored.',
  examples: ['annals search web', 'annals search 192.0.2.7 --json'],
  args: { text: required('part of a name, key, ID or description') },
  path: '/v1/search',
  parameters: ({ args }) => ({ q: args.text }),
  asText: hits =>
    table([['Kind', 'Topic'], 'Name', 'Key', 'Namespace', 'Node', ['Changed in', 'Index']], hits)
})
