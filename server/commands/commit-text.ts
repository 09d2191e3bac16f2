import { commitText } from '../../events/codec.js'
import type { Commit } from '../../events/envelope.js'
import { eventLine, originText } from '../../clients/cli/origin-text.js'
import { safe, type Output } from '../../clients/cli/remote/output.js'
import { parseExact } from '../../clients/exact-json.js'

/** The first line has index, time, command, caller and reason. One line for each event follows: type and partition/namespace/key. */
export const commitAsText = ({ Index, Time, By, Events }: Commit): string =>
  [`${Index}  ${Time}  ${originText(By)}`, ...Events.map(eventLine)].map(safe).join('\n')

async function* mapped<From, To>(source: AsyncIterable<From>, to: (one: From) => To): AsyncGenerator<To> {
  for await (const one of source) yield to(one)
}

/** Prints commits. Data has the messages of the event stream, with time and origin, without secrets. */
export const printCommits = (commits: AsyncIterable<Commit>, out: Output): Promise<void> =>
  out.isData
    ? out.stream(
        mapped(commits, commit => parseExact(commitText(commit))),
        { asTexts: all => mapped(all, String), hasLines: true }
      )
    : out.stream(commits, { asTexts: all => mapped(all, commitAsText) })
