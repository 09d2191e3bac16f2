// A cell in a list of ACL resources, with times relative to now.
import { formatRelativeTime } from '../../components/relative-time.js'
import { ACCESSOR, EXPIRES, LAST_USED } from '../../resources/kinds.js'

interface Props {
  /** Of the column. */
  readonly title: string
  readonly text: string
  /** Where the row leads; only in its first cell. */
  readonly address?: string
}

export const Cell = ({ title, text, address }: Props) => {
  if (address !== undefined) return <a href={address}>{text}</a>
  if (text !== '' && (title === EXPIRES || title === LAST_USED))
    return <time dateTime={text}>{formatRelativeTime(Date.parse(text), Date.now())}</time>
  return <>{title === ACCESSOR ? text.slice(0, 8) : text}</>
}
