//! `umbra deps`: a library of one's own, added and then found.

use crate::project::Project;

const MAKEFILE: &str = "\
libhalf.a: half.o
\t$(AR) rcs libhalf.a half.o
install: libhalf.a
\tmkdir -p $(DESTDIR)$(PREFIX)/include $(DESTDIR)$(PREFIX)/lib/pkgconfig
\tcp half.h $(DESTDIR)$(PREFIX)/include
\tcp libhalf.a $(DESTDIR)$(PREFIX)/lib
\tprintf 'Name: half\\nDescription: half\\nVersion: 1\\nLibs: -L%s/lib -lhalf\\nCflags: -I%s/include\\n' \
\t\t$(PREFIX) $(PREFIX) >$(DESTDIR)$(PREFIX)/lib/pkgconfig/half.pc
";

#[test]
fn a_library_is_found_by_its_header_by_link_and_by_pkg_config() {
    let project = Project::empty();
    project.dir.write("half/Makefile", MAKEFILE);
    project.dir.write("half/half.h", "int half(int number);\n");
    project.dir.write("half/half.c", "int half(int number) { return number / 2; }\n");
    project.write(
        "one.c",
        "#include <half.h>\nint main(int argc, char **argv) { return half(argc * 4); }\n",
    );
    project.write(
        "Makefile",
        "all: plain asked\nplain: one.c\n\t$(CC) -o plain one.c -lhalf\n\
         asked: one.c\n\t$(CC) $$(pkg-config --cflags half) -o asked one.c $$(pkg-config --libs half)\n",
    );
    project.commit("first");
    project.umbra("init --no-try");
    let message = project.error("build first");
    assert!(message.contains("fatal error: 'half.h' file not found"), "{message}");
    let (_, said) = project.umbra("deps add half --source ../half");
    assert!(said.contains("added half (given"), "{said}");
    let (listed, _) = project.umbra("deps list");
    assert!(
        listed.contains("half ") && listed.contains("zlib             not added: -lz"),
        "{listed}"
    );
    // The same source with another library is another build.
    let (build, _) = project.build("first");
    for program in ["plain", "asked"] {
        assert_eq!(Project::run(&build, program).1, Some(2), "{program}");
        let bitcode = build["programs"][0]["bitcode"].as_str().unwrap();
        let text = project.dir.disassemble(bitcode);
        assert!(text.contains("define internal i32 @half("), "the library is not bitcode");
    }
    let message = project.error("deps add no/such");
    assert!(message.contains("cannot build a library no/such"), "{message}");
}
