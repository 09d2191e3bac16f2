// `annals operator`
import { group } from '../remote/command.js'
import { autopilot } from './autopilot.js'
import { raft } from './raft.js'
import { usage } from './usage.js'

export const operator = group({
  summary: 'Look after the servers of the cluster.',
  examples: [
    'annals operator raft list-peers',
    'annals operator autopilot state',
    'annals operator usage instances'
  ],
  commands: { raft, autopilot, usage }
})
