//! Properties of the trace, by key.

/// Pairs of key and value, in order of insertion.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meta(Vec<(String, String)>);

impl Meta {
    /// Sets `key`, replacing an earlier value.
    pub fn set(&mut self, key: impl Into<String>, value: impl ToString) {
        let key = key.into();
        let value = value.to_string();
        match self.0.iter_mut().find(|(known, _)| *known == key) {
            Some((_, old)) => *old = value,
            None => self.0.push((key, value)),
        }
    }

    /// Returns the value of `key`.
    pub fn get(&self, key: &str) -> Option<&str> {
        let pair = self.0.iter().find(|(known, _)| known == key);
        pair.map(|(_, value)| value.as_str())
    }

    /// Returns all pairs in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(key, value)| (&**key, &**value))
    }
}
