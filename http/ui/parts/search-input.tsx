// Where people write what they look for in a list.
interface Props {
  /** What is searched. */
  readonly label: string
  /** Is told the text in small letters. */
  readonly change: (wanted: string) => void
}

export const SearchInput = ({ label, change }: Props) => (
  <input
    type="search"
    id="search"
    placeholder="Search ( / )"
    aria-label={`Search in ${label}`}
    onInput={({ currentTarget }) => change(currentTarget.value.trim().toLowerCase())}
  />
)
