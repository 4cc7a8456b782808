//! The objects of one class of slots.
//!
//! They sit in pages behind two levels of `Arc`: a copy of the table copies one pointer, a write
//! afterwards copies a page.

use triomphe::Arc;

use super::object::Object;

/// Objects that are copied together.
const PAGE: usize = 16;

type Page = Vec<Object>;

/// Objects by the index of their slot. Slots are used from the first one on, so there are no gaps.
#[derive(Clone, Default)]
pub struct Table {
    pages: Arc<Vec<Arc<Page>>>,
}

impl Table {
    /// How many slots were used.
    pub fn len(&self) -> u32 {
        let last = self.pages.last().map_or(PAGE, |page| page.len());
        (self.pages.len() * PAGE + last - PAGE) as u32
    }

    #[inline]
    pub fn get(&self, index: u32) -> Option<&Object> {
        self.pages.get(index as usize / PAGE)?.get(index as usize % PAGE)
    }

    #[inline]
    pub fn get_mut(&mut self, index: u32) -> Option<&mut Object> {
        let page = Arc::make_mut(&mut self.pages).get_mut(index as usize / PAGE)?;
        Arc::make_mut(page).get_mut(index as usize % PAGE)
    }

    /// Puts an object into the first slot that was not used yet.
    pub fn push(&mut self, object: Object) {
        let pages = Arc::make_mut(&mut self.pages);
        match pages.last_mut() {
            Some(page) if page.len() < PAGE => Arc::make_mut(page).push(object),
            _ => {
                let mut page = Vec::with_capacity(PAGE);
                page.push(object);
                pages.push(Arc::new(page));
            }
        }
    }

    /// Calls `look` with the index and both objects of the slots that are not the same allocation in
    /// both tables.
    pub fn differences<'a>(
        &'a self,
        other: &'a Self,
        mut look: impl FnMut(u32, Option<&'a Object>, Option<&'a Object>),
    ) {
        if Arc::ptr_eq(&self.pages, &other.pages) {
            return;
        }
        for page in 0..self.pages.len().max(other.pages.len()) {
            let (own, others) = (self.pages.get(page), other.pages.get(page));
            if let (Some(own), Some(others)) = (own, others)
                && Arc::ptr_eq(own, others)
            {
                continue;
            }
            let length = |page: Option<&Arc<Page>>| page.map_or(0, |page| page.len());
            for index in 0..length(own).max(length(others)) {
                let [own, others] = [own, others].map(|page| page.and_then(|page| page.get(index)));
                look((page * PAGE + index) as u32, own, others);
            }
        }
    }

    /// Calls `look` with every object.
    pub fn for_each(&self, look: &mut dyn FnMut(&Object)) {
        self.pages.iter().flat_map(|page| page.iter()).for_each(look);
    }

    /// Calls `change` with the objects of all pages in which one is `wanted`.
    pub fn for_each_mut(
        &mut self,
        wanted: impl Fn(&Object) -> bool,
        mut change: impl FnMut(&mut Object),
    ) {
        if !self.pages.iter().any(|page| page.iter().any(&wanted)) {
            return;
        }
        for page in Arc::make_mut(&mut self.pages) {
            if page.iter().any(&wanted) {
                Arc::make_mut(page).iter_mut().for_each(&mut change);
            }
        }
    }
}
