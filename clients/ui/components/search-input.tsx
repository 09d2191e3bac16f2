// The search field of a list, which the key `/` focuses.
interface Props {
  /** Title of the list. */
  readonly label: string
  readonly value: string
  readonly change: (text: string) => void
}

export const SearchInput = ({ label, value, change }: Props) => (
  <input
    type="search"
    id="search"
    placeholder="Search ( / )"
    aria-label={`Search in ${label}`}
    value={value}
    onInput={({ currentTarget }) => change(currentTarget.value)}
  />
)
