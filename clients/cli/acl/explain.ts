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
    Question: `${found.Resource}:${found.Access}${Segment === undefined ? '' : ` on "${Segment}"`}`,
    Namespace: found.Namespace,
    Partition: found.Partition,
    Rule: Rule && `${Rule.Text} ${Rule.Level}${Rule.Line === undefined ? '' : `, line ${Rule.Line}`}`,
    From: Source && sourceText(Source),
    Through: Source?.Links.map(sourceText)
  })
}

export const explain = remoteCommand({
  summary: 'Explain why a token has or lacks a permission.',
  about:
    'Takes the text of a denial, or --resource and --access. Without --accessor-id it explains the token of the request, for which it needs\nno permission. Other tokens need acl:read. The exit code is 0 for both decisions.',
  examples: [
    `annals explain "Permission denied: token with AccessorID '14fae9d6-…' lacks permission 'key:write' on \\"web\\""`,
    'annals explain -resource key -access write -segment web/port      of the own token',
    'annals explain -accessor-id 14fae9d6-bf21-4003-8506-0d2ff1b0e0a4 -resource key -access write -segment web'
  ],
  args: { denial: optional('text of a denial; - for standard input, the default without flags') },
  flags: {
    accessorId: text('id', 'AccessorID of the token (default: the token of the request)', { also: ['id'] }),
    resource: text('name', 'resource of the rule language, such as key or service'),
    access: text('access', 'read, list, write or write-prefix'),
    segment: text('name', 'name of the key, service or other resource')
  },
  run: async ({ read, write, out, flags, args, console }) => {
    const { accessorId, resource, access, segment } = flags
    const isQuestion = [accessorId, resource, access, segment].some(part => part !== undefined)
    if (isQuestion && args.denial !== undefined)
      throw new UsageError('the text of a denial and the flags of a question exclude each other')
    if (!isQuestion && args.denial === undefined && console.in.isTTY === true)
      throw new UsageError('give the text of a denial, or --resource and --access')
    const body = isQuestion
      ? {
          AccessorID: accessorId ?? (await read('/v1/acl/token/self')).AccessorID,
          Resource: resource ?? '',
          Access: access ?? '',
          Segment: segment
        }
      : { Denial: (await textContent(args.denial ?? '-', console)).trim() }
    out.show(await write('post', '/v1/acl/explain', body), asText)
  }
})
