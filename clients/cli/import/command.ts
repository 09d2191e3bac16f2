// `annals import`
import { group } from '../remote/command.js'
import { importConsul } from './consul.js'

export const importing = group({
  summary: 'Import what other servers hold.',
  examples: ['annals import consul --addr=10.0.0.5:8500 --from-token-file=consul.token --dry-run'],
  commands: { consul: importConsul }
})
