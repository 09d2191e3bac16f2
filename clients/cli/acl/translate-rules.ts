// `annals acl translate-rules`
import { remoteCommand } from '../remote/command.js'
import { CONTENT, textContent } from '../remote/content.js'
import { needed } from '../remote/flags.js'

export const translateRules = remoteCommand({
  summary: 'Translate rules from the legacy syntax.',
  examples: ['annals acl translate-rules @old.hcl > new.hcl'],
  args: { rules: needed(`rules in the legacy syntax; ${CONTENT}`) },
  run: async ({ send, out, args, console }) => {
    const answer = await send('POST', '/v1/acl/rules/translate', {
      body: await textContent(args.rules, console)
    })
    out.print((await answer.text()).trimEnd())
  }
})
