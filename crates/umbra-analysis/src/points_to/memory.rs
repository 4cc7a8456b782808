//! Objects, the places in them that pointers lead to, and what their fields hold.
//!
//! A pointee is an object with an offset, or with all offsets that are a number of steps away from
//! one: `offset + k * step`. An object has a node of the graph for each offset at which pointers were
//! found. Once it is accessed at steps, offsets that are the same modulo the step are the same field:
//! the object is folded.

use std::collections::{BTreeMap, HashMap, HashSet};

use umbra_ir::{FunctionId, GlobalId, Id, Program, RegisterId, Symbol};

use super::Use;
use super::graph::Graph;

/// What a pointer can point to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Object {
    /// A global variable.
    Global(GlobalId),
    /// A function.
    Function(FunctionId),
    /// A local variable: the register that holds its address.
    Local(FunctionId, RegisterId),
    /// What an allocation returned into this register.
    Heap(FunctionId, RegisterId),
    /// The callee's own copy of an object, by the index of the parameter.
    Copy(FunctionId, u32),
    /// The variable arguments of a function.
    Variadic(FunctionId),
    /// What the process starts with: arguments and environment.
    Start,
    /// Something on the way of a copy of memory.
    Passing(u32),
    /// One of the objects that some pointer to very many objects may lead to.
    Many,
    /// One of the functions that some pointer to very many functions may lead to.
    ManyFunctions,
    /// Nobody knows.
    Unknown,
}

impl Object {
    fn is_code(self) -> bool {
        matches!(self, Self::Function(_) | Self::ManyFunctions)
    }
}

/// A place that a pointer can lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pointee {
    pub(super) object: u32,
    /// Bytes from the start of the object; less than the step, if there is one.
    pub offset: i64,
    /// The offset is this one plus any number of steps; 0 if it is just this one.
    pub step: u64,
}

/// How a pointer moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Shift {
    pub constant: i64,
    /// Plus any number of these; 0 for none.
    pub step: u64,
}

impl Shift {
    /// To anywhere in the object.
    pub const ANYWHERE: Self = Self { constant: 0, step: 1 };
}

/// Bytes of a pointer. Finer steps than this lose all structure.
pub(super) const POINTER: u64 = 8;

/// Pointees of one object that shifts may make before its further ones lead anywhere in it.
const MAX_SHIFTED: u32 = 24;

/// Fields of an object of no known size before it is folded.
const MAX_FIELDS: usize = 256;

#[derive(Clone, Debug)]
struct Contents {
    object: Object,
    /// Bytes, if they are known.
    size: Option<u64>,
    /// The node of each field.
    fields: BTreeMap<i64, u32>,
    /// Fields this many bytes apart are one; 0 if the object is not folded.
    period: u64,
    /// Where its contents are copied to.
    links: Vec<Link>,
    shifted: u32,
    /// The pointees in it.
    pointees: Vec<u32>,
    /// It is one of many, and is no longer looked at by itself.
    is_one_of_many: bool,
}

/// A copy of contents from one object to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Link {
    from: i64,
    to_object: u32,
    to: i64,
    length: Option<u64>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    objects: Vec<Contents>,
    ids: HashMap<Object, u32>,
    pub pointees: Vec<Pointee>,
    pointee_ids: HashMap<Pointee, u32>,
    linked: HashSet<(u32, Link)>,
    /// Fields whose contents are to be linked.
    new_fields: Vec<(u32, i64)>,
    /// Objects to be folded.
    folds: Vec<(u32, u64)>,
    /// The functions that [`Object::ManyFunctions`] stands for.
    pub many_functions: Vec<FunctionId>,
}

impl Memory {
    pub fn object(&mut self, object: Object, size: Option<u64>) -> u32 {
        let next = self.objects.len() as u32;
        let id = *self.ids.entry(object).or_insert(next);
        if id == next {
            let (fields, links) = (BTreeMap::new(), Vec::new());
            // Arguments and environment, and variable arguments, have no structure.
            let flat = matches!(
                object,
                Object::Start | Object::Variadic(_) | Object::Unknown | Object::Many
            );
            let period = u64::from(flat);
            self.objects.push(Contents {
                object,
                size,
                fields,
                period,
                links,
                shifted: 0,
                pointees: Vec::new(),
                is_one_of_many: false,
            });
        }
        id
    }

    pub fn object_of(&self, pointee: Pointee) -> Object {
        self.objects[pointee.object as usize].object
    }

    pub fn size_of(&self, pointee: Pointee) -> Option<u64> {
        self.objects[pointee.object as usize].size
    }

    /// The number of a pointee.
    pub fn pointee(&mut self, object: u32, offset: i64, step: u64) -> u32 {
        let contents = &self.objects[object as usize];
        let (object, offset, step) = match (contents.is_one_of_many, contents.object) {
            (false, _) => (object, offset, step),
            (true, Object::Function(_)) => (self.object(Object::ManyFunctions, None), 0, 0),
            (true, _) => (self.many(), 0, 1),
        };
        let step = if step != 0 && step < POINTER { 1 } else { step };
        let offset = if step == 0 { offset } else { offset.rem_euclid(step as i64) };
        let pointee = Pointee { object, offset, step };
        let next = self.pointees.len() as u32;
        let id = *self.pointee_ids.entry(pointee).or_insert(next);
        if id == next {
            self.pointees.push(pointee);
            self.objects[object as usize].pointees.push(id);
        }
        id
    }

    /// The pointee that leads to any of [`Self::many_functions`].
    fn many_functions(&mut self) -> u32 {
        let object = self.object(Object::ManyFunctions, None);
        self.pointee(object, 0, 0)
    }

    fn many(&mut self) -> u32 {
        self.object(Object::Many, None)
    }

    /// The object that an object is looked at as.
    fn looked_at(&mut self, object: u32) -> u32 {
        match self.objects[object as usize].is_one_of_many {
            true => self.many(),
            false => object,
        }
    }

    /// Whether pointers to many objects may lead to this one.
    pub fn is_one_of_many(&self, object: Object) -> bool {
        let id = self.ids.get(&object);
        id.is_some_and(|id| self.objects[*id as usize].is_one_of_many)
    }

    /// The object of a pointee becomes one of many.
    pub fn merge(&mut self, graph: &mut Graph<Use>, pointee: u32) {
        let object = self.pointees[pointee as usize].object;
        let contents = &mut self.objects[object as usize];
        let fixed =
            matches!(contents.object, Object::Unknown | Object::Many | Object::ManyFunctions);
        if fixed || std::mem::replace(&mut contents.is_one_of_many, true) {
            return;
        }
        let fields = std::mem::take(&mut contents.fields);
        let links = std::mem::take(&mut contents.links);
        let pointees = std::mem::take(&mut contents.pointees);
        let name = match contents.object {
            Object::Function(function) => {
                self.many_functions.push(function);
                self.many_functions()
            }
            _ => {
                let many = self.many();
                if let Some(first) = self.field_at(graph, many, 0) {
                    fields.into_values().for_each(|node| graph.unite(first, node));
                }
                for link in links {
                    let link = Link { from: 0, to: 0, length: None, ..link };
                    if self.linked.insert((many, link)) {
                        self.objects[many as usize].links.push(link);
                    }
                }
                self.new_fields.push((many, 0));
                self.settle(graph);
                self.pointee(many, 0, 1)
            }
        };
        pointees.into_iter().for_each(|pointee| graph.rename(pointee, name));
    }

    /// Where a pointer leads after it moved; `None` if that is outside its object.
    pub fn shift(&mut self, pointee: u32, shift: Shift) -> Option<u32> {
        let Pointee { object, offset, step } = self.pointees[pointee as usize];
        let contents = &self.objects[object as usize];
        let fixed = contents.object.is_code();
        if fixed || matches!(contents.object, Object::Unknown | Object::Many) {
            return Some(pointee);
        }
        let step = gcd(step, shift.step);
        let moved = offset.wrapping_add(shift.constant);
        // One behind the end is still a pointer to the object.
        let outside = |size: u64| moved < 0 || moved as u64 > size;
        if step == 0 && contents.size.is_some_and(outside) {
            return None;
        }
        let limit = if contents.size.is_some() { 2 * MAX_SHIFTED } else { MAX_SHIFTED };
        let room = contents.shifted < limit;
        let before = self.pointees.len();
        Some(match room {
            true => {
                let id = self.pointee(object, moved, step);
                let added = self.pointees.len() > before;
                self.objects[object as usize].shifted += u32::from(added);
                id
            }
            false => match self.pointee_ids.get(&Pointee { object, offset: moved, step }) {
                Some(&id) => id,
                None => self.pointee(object, 0, 1),
            },
        })
    }

    /// The node of what lies at a pointee; `None` if no pointer can lie there.
    pub fn field(&mut self, graph: &mut Graph<Use>, pointee: u32) -> Option<u32> {
        let Pointee { object, offset, step } = self.pointees[pointee as usize];
        let contents = &self.objects[object as usize];
        if contents.object.is_code() {
            return None;
        }
        if step != 0 {
            self.fold(graph, object, step);
        }
        let field = self.field_at(graph, object, offset);
        self.settle(graph);
        field
    }

    /// The node at an offset of an object; links are not followed yet.
    fn field_at(&mut self, graph: &mut Graph<Use>, object: u32, offset: i64) -> Option<u32> {
        let object = self.looked_at(object);
        let contents = &mut self.objects[object as usize];
        let key = match contents.period {
            0 if offset < 0 || contents.size.is_some_and(|size| offset as u64 >= size) => {
                return None;
            }
            0 => offset,
            period => offset.rem_euclid(period as i64),
        };
        if let Some(&node) = contents.fields.get(&key) {
            return Some(node);
        }
        let node = graph.add_nodes(1);
        contents.fields.insert(key, node);
        self.new_fields.push((object, key));
        if contents.size.is_none() && contents.period == 0 && contents.fields.len() > MAX_FIELDS {
            self.folds.push((object, 1));
        }
        Some(node)
    }

    /// From now on the contents behind one pointee flow to those behind another.
    pub fn link(&mut self, graph: &mut Graph<Use>, from: u32, to: u32, length: Option<u64>) {
        let [from, to] = [from, to].map(|id| {
            let Pointee { object, offset, step } = self.pointees[id as usize];
            let id = self.pointee(object, offset, step);
            self.pointees[id as usize]
        });
        let of = |memory: &Self, pointee: Pointee| memory.object_of(pointee);
        if from.object == to.object || of(self, from).is_code() || of(self, to).is_code() {
            return;
        }
        let link = Link { from: from.offset, to_object: to.object, to: to.offset, length };
        if !self.linked.insert((from.object, link)) {
            return;
        }
        for end in [from, to] {
            if end.step != 0 {
                self.folds.push((end.object, end.step));
            }
        }
        let contents = &mut self.objects[from.object as usize];
        contents.links.push(link);
        let keys: Vec<i64> = contents.fields.keys().copied().collect();
        for key in keys {
            self.follow(graph, from.object, key, link);
        }
        self.settle(graph);
    }

    fn fold(&mut self, graph: &mut Graph<Use>, object: u32, step: u64) {
        self.folds.push((object, step));
        self.settle(graph);
    }

    /// Folds and links until nothing is left to do.
    fn settle(&mut self, graph: &mut Graph<Use>) {
        loop {
            if let Some((object, step)) = self.folds.pop() {
                self.fold_one(graph, object, step);
            } else if let Some((object, key)) = self.new_fields.pop() {
                let links = std::mem::take(&mut self.objects[object as usize].links);
                for &link in &links {
                    self.follow(graph, object, key, link);
                }
                let contents = &mut self.objects[object as usize];
                let added = std::mem::replace(&mut contents.links, links);
                contents.links.extend(added);
            } else {
                return;
            }
        }
    }

    fn fold_one(&mut self, graph: &mut Graph<Use>, object: u32, step: u64) {
        let object = self.looked_at(object);
        let contents = &mut self.objects[object as usize];
        let period = match gcd(contents.period, step) {
            small if small < POINTER => 1,
            period => period,
        };
        if period == contents.period {
            return;
        }
        contents.period = period;
        for (offset, node) in std::mem::take(&mut contents.fields) {
            // Beyond its end there is nothing, so nothing comes from there.
            let key = offset.rem_euclid(period as i64);
            match contents.fields.get(&key) {
                Some(&first) => graph.unite(first, node),
                None => {
                    contents.fields.insert(key, node);
                }
            }
        }
        let keys: Vec<i64> = contents.fields.keys().copied().collect();
        self.new_fields.extend(keys.into_iter().map(|key| (object, key)));
    }

    /// One field flows along one link.
    fn follow(&mut self, graph: &mut Graph<Use>, object: u32, key: i64, link: Link) {
        let link = Link { to_object: self.looked_at(link.to_object), ..link };
        let contents = &self.objects[object as usize];
        let Some(&node) = contents.fields.get(&key) else { return };
        let period = contents.period;
        let distance = key.wrapping_sub(link.from);
        if period != 0 {
            if gcd(self.objects[link.to_object as usize].period, period)
                != self.objects[link.to_object as usize].period
            {
                self.folds.push((link.to_object, period));
                self.new_fields.push((object, key));
                return;
            }
        } else if distance < 0 || link.length.is_some_and(|length| distance as u64 >= length) {
            return;
        }
        if let Some(to) = self.field_at(graph, link.to_object, link.to.wrapping_add(distance)) {
            graph.add_edge(node, to);
        }
    }

    /// Adds a function or global, with the program's knowledge of it; `None` if no pointer to it
    /// needs to be followed: nobody writes it, and it holds no pointers.
    pub fn global(&mut self, program: &Program, global: GlobalId) -> Option<u32> {
        let data = &program.globals[global];
        let plain = match &data.initializer {
            umbra_ir::Initializer::Zero => true,
            umbra_ir::Initializer::Data { relocations, .. } => relocations.is_empty(),
            _ => false,
        };
        let known = !(data.constant && plain);
        known.then(|| self.object(Object::Global(global), Some(data.size)))
    }

    /// The nodes of all fields of a pointee's object.
    pub fn fields_of(&self, pointee: Pointee) -> impl Iterator<Item = u32> {
        let mut contents = &self.objects[pointee.object as usize];
        if contents.is_one_of_many
            && let Some(&many) = self.ids.get(&Object::Many)
        {
            contents = &self.objects[many as usize];
        }
        contents.fields.values().copied()
    }

    /// The pointee of a symbol, if pointers to it were followed.
    pub fn symbol(&self, symbol: Symbol, offset: i64) -> Option<Pointee> {
        let object = match symbol {
            Symbol::Function(function) => Object::Function(function),
            Symbol::Global(global) => Object::Global(global),
        };
        Some(Pointee { object: *self.ids.get(&object)?, offset, step: 0 })
    }
}

/// The greatest common divisor; that of 0 and a number is the number.
pub(super) fn gcd(one: u64, other: u64) -> u64 {
    let (mut one, mut other) = (one, other);
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}

/// The step of a scaled index.
pub(super) fn step_of(scale: i64) -> u64 {
    scale.unsigned_abs()
}

/// Registers of functions and such, as their index.
pub(super) fn index(id: impl Id) -> u32 {
    id.index() as u32
}
