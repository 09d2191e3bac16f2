// `annals acl set-agent-token`
import { remoteCommand } from '../remote/command.js'
import { needed } from '../remote/flags.js'

export const setAgentToken = remoteCommand({
  summary: 'Give the server a token of its own to work with.',
  examples: ['annals acl set-agent-token default 049c4b06-7bff-40f3-a631-0d2ff1b0e0a4'],
  args: {
    type: needed('what it is for: default, agent, agent_master, replication …'),
    secret: needed('SecretID of the token')
  },
  run: async ({ send, out, args }) => {
    await send('PUT', `/v1/agent/token/${encodeURIComponent(args.type)}`, { body: { Token: args.secret } })
    out.done(`ACL token "${args.type}" set successfully`)
  }
})
