import type { Schemas } from '../../typescript/typed/index.js'
import { UsageError } from '../console.js'
import { remoteCommand } from '../remote/command.js'
import { textContent } from '../remote/content.js'
import { optional, text } from '../remote/flags.js'
import { fields } from '../remote/output.js'

type Explanation = Schemas['Explanation']

export const sourceText = ({ Kind, Name, ID }: Omit<Schemas['RuleSource'], 'Links'>): string =>
  `${Kind} ${Name ?? ID ?? ''}`.trimEnd()

const asText = (found: Explanation): string => {
  const { Rule, Source, Segment } = found
  return fields({
    [found.Allowed ? 'Allowed' : 'Denied']: found.Reason,
    Token: found.AccessorID,
    Asked: `${found.Resource}:${found.Access}${Segment === undefined ? '' : ` on "${Segment}"`}`,
    Namespace: found.Namespace,
    Partition: found.Partition,
    Rule: Rule && `${Rule.Text} ${Rule.Level}${Rule.Line === undefined ? '' : `, line ${Rule.Line}`}`,
    From: Source && sourceText(Source),
    'By way of': Source?.Links.map(sourceText)
  })
}

export const explain = remoteCommand({
  summary: 'Tell why a token may or may not do something.',
  about:
    'Give it the text of a 403, or a question with --accessor-id, --resource and --access. A token may ask about itself; about another\nit needs acl:read. Ends with 0 whichever the answer is.',
  examples: [
    `annals explain "Permission denied: token with AccessorID '14fae9d6-…' lacks permission 'key:write' on \\"web\\""`,
    'annals explain -accessor-id 14fae9d6-bf21-4003-8506-0d2ff1b0e0a4 -resource key -access write -segment web'
  ],
  args: { denial: optional('text of a 403; - for standard input, as it is when there are no flags') },
  flags: {
    accessorId: text('id', 'AccessorID of the token to ask about', { also: ['id'] }),
    resource: text('name', 'resource of the rule language, such as key or service'),
    access: text('access', 'read, list, write or write-prefix'),
    segment: text('name', 'name of a key, a service …')
  },
  run: async ({ write, out, flags, args, console }) => {
    const { accessorId, resource, access, segment } = flags
    const isQuestion = [accessorId, resource, access, segment].some(part => part !== undefined)
    if (isQuestion && args.denial !== undefined)
      throw new UsageError('the text of a 403 and the flags of a question exclude each other')
    const body = isQuestion
      ? {
          AccessorID: accessorId ?? '',
          Resource: resource ?? '',
          Access: access ?? '',
          Segment: segment
        }
      : { Denial: (await textContent(args.denial ?? '-', console)).trim() }
    out.show(await write('post', '/v1/acl/explain', body), asText)
  }
})
