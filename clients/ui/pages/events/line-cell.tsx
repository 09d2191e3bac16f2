import { Button, Who } from '../../design/index.js'
import type { LineRow } from '../../live/worker/protocol.js'
import type { StreamedEvent } from '../../../typescript/stream-line.js'
import { addressOf, titleOf, type Kind } from '../../resources/kind.js'
import { kinds } from '../../resources/kinds.js'

/** Returns a name in place of an ID. */
const nameOf = (kind: Kind, { Key, Payload }: StreamedEvent): string =>
  /^[\da-f-]{36}$/.test(Key) ? titleOf(kind, Payload) || Key : Key

const clock = (time: string | undefined): string =>
  time === undefined ? '' : new Date(time).toLocaleTimeString()

interface Props {
  readonly line: LineRow
  readonly title: string
  readonly open: () => void
}

export const LineCell = ({ line: { event, origin, words }, title, open }: Props) => {
  const { Topic, Type, Key, Namespace, Index } = event
  switch (title) {
    case 'Index':
      return (
        <Button label={Index} act={open} class="plain" aria-label={`Open event ${Index}: ${Type} ${Key}`} />
      )
    case 'Time':
      return <time title={origin?.Time}>{clock(origin?.Time)}</time>
    case 'Who':
      return origin ? <Who accessor={origin.AccessorID} /> : null
    case 'Type':
      return <>{Type}</>
    case 'Key': {
      const kind = kinds.find(({ topic }) => topic === Topic)
      return kind ? <a href={addressOf(kind, event)}>{nameOf(kind, event)}</a> : <>{Key}</>
    }
    case 'Change':
      return <>{words}</>
    default:
      return <>{Namespace}</>
  }
}
